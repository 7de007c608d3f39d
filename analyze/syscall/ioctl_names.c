#include "analyze/syscall/ioctl_names.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <string.h>

struct name { uint32_t number; const char *name; };

/* include/uapi/drm/drm.h */
static const struct name drm[] = {
	{ 0x00, "VERSION" }, { 0x01, "GET_UNIQUE" }, { 0x02, "GET_MAGIC" },
	{ 0x03, "IRQ_BUSID" }, { 0x04, "GET_MAP" }, { 0x05, "GET_CLIENT" },
	{ 0x06, "GET_STATS" }, { 0x07, "SET_VERSION" }, { 0x08, "MODESET_CTL" },
	{ 0x09, "GEM_CLOSE" }, { 0x0a, "GEM_FLINK" }, { 0x0b, "GEM_OPEN" },
	{ 0x0c, "GET_CAP" }, { 0x0d, "SET_CLIENT_CAP" }, { 0x10, "SET_UNIQUE" },
	{ 0x11, "AUTH_MAGIC" }, { 0x12, "BLOCK" }, { 0x13, "UNBLOCK" },
	{ 0x14, "CONTROL" }, { 0x15, "ADD_MAP" }, { 0x16, "ADD_BUFS" },
	{ 0x17, "MARK_BUFS" }, { 0x18, "INFO_BUFS" }, { 0x19, "MAP_BUFS" },
	{ 0x1a, "FREE_BUFS" }, { 0x1b, "RM_MAP" }, { 0x1c, "SET_SAREA_CTX" },
	{ 0x1d, "GET_SAREA_CTX" }, { 0x1e, "SET_MASTER" },
	{ 0x1f, "DROP_MASTER" }, { 0x20, "ADD_CTX" }, { 0x21, "RM_CTX" },
	{ 0x22, "MOD_CTX" }, { 0x23, "GET_CTX" }, { 0x24, "SWITCH_CTX" },
	{ 0x25, "NEW_CTX" }, { 0x26, "RES_CTX" }, { 0x27, "ADD_DRAW" },
	{ 0x28, "RM_DRAW" }, { 0x29, "DMA" }, { 0x2a, "LOCK" },
	{ 0x2b, "UNLOCK" }, { 0x2c, "FINISH" }, { 0x2d, "PRIME_HANDLE_TO_FD" },
	{ 0x2e, "PRIME_FD_TO_HANDLE" }, { 0x30, "AGP_ACQUIRE" },
	{ 0x31, "AGP_RELEASE" }, { 0x32, "AGP_ENABLE" }, { 0x33, "AGP_INFO" },
	{ 0x34, "AGP_ALLOC" }, { 0x35, "AGP_FREE" }, { 0x36, "AGP_BIND" },
	{ 0x37, "AGP_UNBIND" }, { 0x38, "SG_ALLOC" }, { 0x39, "SG_FREE" },
	{ 0x3a, "WAIT_VBLANK" }, { 0x3b, "CRTC_GET_SEQUENCE" },
	{ 0x3c, "CRTC_QUEUE_SEQUENCE" }, { 0x3f, "UPDATE_DRAW" },
	{ 0xa0, "MODE_GETRESOURCES" }, { 0xa1, "MODE_GETCRTC" },
	{ 0xa2, "MODE_SETCRTC" }, { 0xa3, "MODE_CURSOR" },
	{ 0xa4, "MODE_GETGAMMA" }, { 0xa5, "MODE_SETGAMMA" },
	{ 0xa6, "MODE_GETENCODER" }, { 0xa7, "MODE_GETCONNECTOR" },
	{ 0xa8, "MODE_ATTACHMODE" }, { 0xa9, "MODE_DETACHMODE" },
	{ 0xaa, "MODE_GETPROPERTY" }, { 0xab, "MODE_SETPROPERTY" },
	{ 0xac, "MODE_GETPROPBLOB" }, { 0xad, "MODE_GETFB" },
	{ 0xae, "MODE_ADDFB" }, { 0xaf, "MODE_RMFB" },
	{ 0xb0, "MODE_PAGE_FLIP" }, { 0xb1, "MODE_DIRTYFB" },
	{ 0xb2, "MODE_CREATE_DUMB" }, { 0xb3, "MODE_MAP_DUMB" },
	{ 0xb4, "MODE_DESTROY_DUMB" }, { 0xb5, "MODE_GETPLANERESOURCES" },
	{ 0xb6, "MODE_GETPLANE" }, { 0xb7, "MODE_SETPLANE" },
	{ 0xb8, "MODE_ADDFB2" }, { 0xb9, "MODE_OBJ_GETPROPERTIES" },
	{ 0xba, "MODE_OBJ_SETPROPERTY" }, { 0xbb, "MODE_CURSOR2" },
	{ 0xbc, "MODE_ATOMIC" }, { 0xbd, "MODE_CREATEPROPBLOB" },
	{ 0xbe, "MODE_DESTROYPROPBLOB" }, { 0xbf, "SYNCOBJ_CREATE" },
	{ 0xc0, "SYNCOBJ_DESTROY" }, { 0xc1, "SYNCOBJ_HANDLE_TO_FD" },
	{ 0xc2, "SYNCOBJ_FD_TO_HANDLE" }, { 0xc3, "SYNCOBJ_WAIT" },
	{ 0xc4, "SYNCOBJ_RESET" }, { 0xc5, "SYNCOBJ_SIGNAL" },
	{ 0xc6, "MODE_CREATE_LEASE" }, { 0xc7, "MODE_LIST_LESSEES" },
	{ 0xc8, "MODE_GET_LEASE" }, { 0xc9, "MODE_REVOKE_LEASE" },
	{ 0xca, "SYNCOBJ_TIMELINE_WAIT" }, { 0xcb, "SYNCOBJ_QUERY" },
	{ 0xcc, "SYNCOBJ_TRANSFER" }, { 0xcd, "SYNCOBJ_TIMELINE_SIGNAL" },
	{ 0xce, "MODE_GETFB2" }, { 0xcf, "SYNCOBJ_EVENTFD" },
	{ 0xd0, "MODE_CLOSEFB" }, { 0xd1, "SET_CLIENT_NAME" },
	{ 0xd2, "GEM_CHANGE_HANDLE" },
};

/* Of the drivers, from DRM_COMMAND_BASE on: include/uapi/drm/i915_drm.h and so
 * on. */
static const struct name i915[] = {
	{ 0x00, "INIT" }, { 0x01, "FLUSH" }, { 0x02, "FLIP" },
	{ 0x03, "BATCHBUFFER" }, { 0x04, "IRQ_EMIT" }, { 0x05, "IRQ_WAIT" },
	{ 0x06, "GETPARAM" }, { 0x07, "SETPARAM" }, { 0x08, "ALLOC" },
	{ 0x09, "FREE" }, { 0x0a, "INIT_HEAP" }, { 0x0b, "CMDBUFFER" },
	{ 0x0c, "DESTROY_HEAP" }, { 0x0d, "SET_VBLANK_PIPE" },
	{ 0x0e, "GET_VBLANK_PIPE" }, { 0x0f, "VBLANK_SWAP" },
	{ 0x11, "HWS_ADDR" }, { 0x13, "GEM_INIT" }, { 0x14, "GEM_EXECBUFFER" },
	{ 0x15, "GEM_PIN" }, { 0x16, "GEM_UNPIN" }, { 0x17, "GEM_BUSY" },
	{ 0x18, "GEM_THROTTLE" }, { 0x19, "GEM_ENTERVT" },
	{ 0x1a, "GEM_LEAVEVT" }, { 0x1b, "GEM_CREATE" }, { 0x1c, "GEM_PREAD" },
	{ 0x1d, "GEM_PWRITE" }, { 0x1e, "GEM_MMAP" },
	{ 0x1f, "GEM_SET_DOMAIN" }, { 0x20, "GEM_SW_FINISH" },
	{ 0x21, "GEM_SET_TILING" }, { 0x22, "GEM_GET_TILING" },
	{ 0x23, "GEM_GET_APERTURE" }, { 0x24, "GEM_MMAP_GTT" },
	{ 0x25, "GET_PIPE_FROM_CRTC_ID" }, { 0x26, "GEM_MADVISE" },
	{ 0x27, "OVERLAY_PUT_IMAGE" }, { 0x28, "OVERLAY_ATTRS" },
	{ 0x29, "GEM_EXECBUFFER2" }, { 0x2a, "GET_SPRITE_COLORKEY" },
	{ 0x2b, "SET_SPRITE_COLORKEY" }, { 0x2c, "GEM_WAIT" },
	{ 0x2d, "GEM_CONTEXT_CREATE" }, { 0x2e, "GEM_CONTEXT_DESTROY" },
	{ 0x2f, "GEM_SET_CACHING" }, { 0x30, "GEM_GET_CACHING" },
	{ 0x31, "REG_READ" }, { 0x32, "GET_RESET_STATS" },
	{ 0x33, "GEM_USERPTR" }, { 0x34, "GEM_CONTEXT_GETPARAM" },
	{ 0x35, "GEM_CONTEXT_SETPARAM" }, { 0x36, "PERF_OPEN" },
	{ 0x37, "PERF_ADD_CONFIG" }, { 0x38, "PERF_REMOVE_CONFIG" },
	{ 0x39, "QUERY" }, { 0x3a, "GEM_VM_CREATE" },
	{ 0x3b, "GEM_VM_DESTROY" }, { 0x3c, "GEM_CREATE_EXT" },
};

static const struct name amdgpu[] = {
	{ 0x00, "GEM_CREATE" }, { 0x01, "GEM_MMAP" }, { 0x02, "CTX" },
	{ 0x03, "BO_LIST" }, { 0x04, "CS" }, { 0x05, "INFO" },
	{ 0x06, "GEM_METADATA" }, { 0x07, "GEM_WAIT_IDLE" }, { 0x08, "GEM_VA" },
	{ 0x09, "WAIT_CS" }, { 0x10, "GEM_OP" }, { 0x11, "GEM_USERPTR" },
	{ 0x12, "WAIT_FENCES" }, { 0x13, "VM" }, { 0x14, "FENCE_TO_HANDLE" },
	{ 0x15, "SCHED" }, { 0x16, "USERQ" }, { 0x17, "USERQ_SIGNAL" },
	{ 0x18, "USERQ_WAIT" },
};

static const struct name xe[] = {
	{ 0x00, "DEVICE_QUERY" }, { 0x01, "GEM_CREATE" },
	{ 0x02, "GEM_MMAP_OFFSET" }, { 0x03, "VM_CREATE" },
	{ 0x04, "VM_DESTROY" }, { 0x05, "VM_BIND" },
	{ 0x06, "EXEC_QUEUE_CREATE" }, { 0x07, "EXEC_QUEUE_DESTROY" },
	{ 0x08, "EXEC_QUEUE_GET_PROPERTY" }, { 0x09, "EXEC" },
	{ 0x0a, "WAIT_USER_FENCE" }, { 0x0b, "OBSERVATION" },
	{ 0x0c, "MADVISE" }, { 0x0d, "VM_QUERY_MEM_RANGE_ATTRS" },
};

static const struct name virtgpu[] = {
	{ 0x01, "MAP" }, { 0x02, "EXECBUFFER" }, { 0x03, "GETPARAM" },
	{ 0x04, "RESOURCE_CREATE" }, { 0x05, "RESOURCE_INFO" },
	{ 0x06, "TRANSFER_FROM_HOST" }, { 0x07, "TRANSFER_TO_HOST" },
	{ 0x08, "WAIT" }, { 0x09, "GET_CAPS" },
	{ 0x0a, "RESOURCE_CREATE_BLOB" }, { 0x0b, "CONTEXT_INIT" },
};

static const struct name nouveau[] = {
	{ 0x00, "GETPARAM" }, { 0x01, "SETPARAM" }, { 0x02, "CHANNEL_ALLOC" },
	{ 0x03, "CHANNEL_FREE" }, { 0x04, "GROBJ_ALLOC" },
	{ 0x05, "NOTIFIEROBJ_ALLOC" }, { 0x06, "GPUOBJ_FREE" },
	{ 0x07, "NVIF" }, { 0x08, "SVM_INIT" }, { 0x09, "SVM_BIND" },
	{ 0x10, "VM_INIT" }, { 0x11, "VM_BIND" }, { 0x12, "EXEC" },
	{ 0x13, "GET_ZCULL_INFO" }, { 0x40, "GEM_NEW" },
	{ 0x41, "GEM_PUSHBUF" }, { 0x42, "GEM_CPU_PREP" },
	{ 0x43, "GEM_CPU_FINI" }, { 0x44, "GEM_INFO" },
};

/* Of NVIDIA's resource manager: nv_escape.h and, from 200 on,
 * nv-ioctl-numbers.h of its open kernel modules. */
static const struct name nvidia[] = {
	{ 0x27, "RM_ALLOC_MEMORY" }, { 0x28, "RM_ALLOC_OBJECT" },
	{ 0x29, "RM_FREE" }, { 0x2a, "RM_CONTROL" }, { 0x2b, "RM_ALLOC" },
	{ 0x32, "RM_CONFIG_GET" }, { 0x33, "RM_CONFIG_SET" },
	{ 0x34, "RM_DUP_OBJECT" }, { 0x35, "RM_SHARE" },
	{ 0x37, "RM_CONFIG_GET_EX" }, { 0x38, "RM_CONFIG_SET_EX" },
	{ 0x39, "RM_I2C_ACCESS" }, { 0x41, "RM_IDLE_CHANNELS" },
	{ 0x4a, "RM_VID_HEAP_CONTROL" }, { 0x4d, "RM_ACCESS_REGISTRY" },
	{ 0x4e, "RM_MAP_MEMORY" }, { 0x4f, "RM_UNMAP_MEMORY" },
	{ 0x52, "RM_GET_EVENT_DATA" }, { 0x54, "RM_ALLOC_CONTEXT_DMA2" },
	{ 0x56, "RM_ADD_VBLANK_CALLBACK" }, { 0x57, "RM_MAP_MEMORY_DMA" },
	{ 0x58, "RM_UNMAP_MEMORY_DMA" }, { 0x59, "RM_BIND_CONTEXT_DMA" },
	{ 0x5c, "RM_EXPORT_OBJECT_TO_FD" },
	{ 0x5d, "RM_IMPORT_OBJECT_FROM_FD" },
	{ 0x5e, "RM_UPDATE_DEVICE_MAPPING_INFO" },
	{ 200, "CARD_INFO" }, { 201, "REGISTER_FD" },
	{ 206, "ALLOC_OS_EVENT" }, { 207, "FREE_OS_EVENT" },
	{ 209, "STATUS_CODE" }, { 210, "CHECK_VERSION_STR" },
	{ 211, "IOCTL_XFER_CMD" }, { 212, "ATTACH_GPUS_TO_FD" },
	{ 213, "QUERY_DEVICE_INTR" }, { 214, "SYS_PARAMS" },
	{ 217, "EXPORT_TO_DMABUF_FD" }, { 218, "WAIT_OPEN_COMPLETE" },
};

/* Its unified memory takes bare numbers: uvm_ioctl.h, and uvm_linux_ioctl.h for
 * the first two. */
static const struct name uvm[] = {
	{ 0x30000001, "INITIALIZE" }, { 0x30000002, "DEINITIALIZE" },
	{ 23, "CREATE_RANGE_GROUP" }, { 24, "DESTROY_RANGE_GROUP" },
	{ 25, "REGISTER_GPU_VASPACE" }, { 26, "UNREGISTER_GPU_VASPACE" },
	{ 27, "REGISTER_CHANNEL" }, { 28, "UNREGISTER_CHANNEL" },
	{ 29, "ENABLE_PEER_ACCESS" }, { 30, "DISABLE_PEER_ACCESS" },
	{ 31, "SET_RANGE_GROUP" }, { 33, "MAP_EXTERNAL_ALLOCATION" },
	{ 34, "FREE" }, { 37, "REGISTER_GPU" }, { 38, "UNREGISTER_GPU" },
	{ 39, "PAGEABLE_MEM_ACCESS" }, { 42, "SET_PREFERRED_LOCATION" },
	{ 43, "UNSET_PREFERRED_LOCATION" },
	{ 44, "ENABLE_READ_DUPLICATION" },
	{ 45, "DISABLE_READ_DUPLICATION" }, { 46, "SET_ACCESSED_BY" },
	{ 47, "UNSET_ACCESSED_BY" }, { 51, "MIGRATE" },
	{ 53, "MIGRATE_RANGE_GROUP" }, { 62, "TOOLS_READ_PROCESS_MEMORY" },
	{ 63, "TOOLS_WRITE_PROCESS_MEMORY" },
	{ 65, "MAP_DYNAMIC_PARALLELISM_REGION" }, { 66, "UNMAP_EXTERNAL" },
	{ 68, "ALLOC_SEMAPHORE_POOL" },
	{ 70, "PAGEABLE_MEM_ACCESS_ON_GPU" }, { 72, "VALIDATE_VA_RANGE" },
	{ 73, "CREATE_EXTERNAL_RANGE" }, { 75, "MM_INITIALIZE" },
};

/* Whole numbers that any file may be asked by: asm-generic/ioctls.h, linux/fs.h,
 * random.h, perf_event.h, sync_file.h, dma-buf.h; of machines of 64 bits. */
static const struct name common[] = {
	{ 0x5401, "TCGETS" }, { 0x5402, "TCSETS" }, { 0x5403, "TCSETSW" },
	{ 0x5404, "TCSETSF" }, { 0x540e, "TIOCSCTTY" },
	{ 0x540f, "TIOCGPGRP" }, { 0x5410, "TIOCSPGRP" },
	{ 0x5411, "TIOCOUTQ" }, { 0x5413, "TIOCGWINSZ" },
	{ 0x5414, "TIOCSWINSZ" }, { 0x541b, "FIONREAD" },
	{ 0x5421, "FIONBIO" }, { 0x5429, "TIOCGSID" }, { 0x5441, "TIOCGPTPEER" },
	{ 0x80045430, "TIOCGPTN" }, { 0x40045431, "TIOCSPTLCK" },
	{ 0x802c542a, "TCGETS2" }, { 0x5450, "FIONCLEX" },
	{ 0x5451, "FIOCLEX" }, { 0x5452, "FIOASYNC" },
	{ 0x5460, "FIOQSIZE" }, { 0x80086601, "FS_IOC_GETFLAGS" },
	{ 0x40086602, "FS_IOC_SETFLAGS" }, { 0x40049409, "FICLONE" },
	{ 0x4020940d, "FICLONERANGE" }, { 0xc020660b, "FS_IOC_FIEMAP" },
	{ 0x80081272, "BLKGETSIZE64" }, { 0x1268, "BLKSSZGET" },
	{ 0x80045200, "RNDGETENTCNT" }, { 0x2400, "PERF_EVENT_IOC_ENABLE" },
	{ 0x2401, "PERF_EVENT_IOC_DISABLE" }, { 0x2403, "PERF_EVENT_IOC_RESET" },
	{ 0xc0303e03, "SYNC_IOC_MERGE" }, { 0xc0383e04, "SYNC_IOC_FILE_INFO" },
	{ 0x40086200, "DMA_BUF_IOCTL_SYNC" },
	{ 0xc0086202, "DMA_BUF_IOCTL_EXPORT_SYNC_FILE" },
	{ 0x40086203, "DMA_BUF_IOCTL_IMPORT_SYNC_FILE" },
};

/* DRM_COMMAND_BASE and DRM_COMMAND_END: numbers of the drivers. */
#define COMMAND_BASE 0x40u
#define COMMAND_END 0xa0u

#define DRIVER(text, rows) { text, rows, ARRAY_LEN(rows) }

static const struct driver {
	const char *name;
	const struct name *rows;
	size_t n;
} drivers[] = {
	[AN_IOCTL_I915] = DRIVER("I915", i915),
	[AN_IOCTL_AMDGPU] = DRIVER("AMDGPU", amdgpu),
	[AN_IOCTL_XE] = DRIVER("XE", xe),
	[AN_IOCTL_VIRTGPU] = DRIVER("VIRTGPU", virtgpu),
	[AN_IOCTL_NOUVEAU] = DRIVER("NOUVEAU", nouveau),
};

/* As the kernel calls the driver of a device, or its tracepoints: a
 * paravirtual one has its device behind a bus of its own. */
static const struct {
	const char *name;
	enum an_ioctl_space space;
} spaces[] = {
	{ "i915", AN_IOCTL_I915 },
	{ "amdgpu", AN_IOCTL_AMDGPU },
	{ "xe", AN_IOCTL_XE },
	{ "virtio_gpu", AN_IOCTL_VIRTGPU },
	{ "virtio-pci", AN_IOCTL_VIRTGPU },
	{ "nouveau", AN_IOCTL_NOUVEAU },
};

enum an_ioctl_space an_ioctl_driver(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		if (strcmp(spaces[i].name, name) == 0)
			return spaces[i].space;
	return AN_IOCTL_DRM;
}

static bool begins(struct span path, const char *with)
{
	size_t n = strlen(with);

	return path.n >= n && memcmp(path.p, with, n) == 0;
}

enum an_ioctl_space an_ioctl_space_of(struct span path, const char *driver)
{
	if (!path.n)
		return AN_IOCTL_UNKNOWN;
	if (begins(path, "/dev/dri/") || begins(path, "/dev/accel/"))
		return driver ? an_ioctl_driver(driver) : AN_IOCTL_DRM;
	if (begins(path, "/dev/nvidia-uvm"))
		return AN_IOCTL_UVM;
	return begins(path, "/dev/nvidia") ? AN_IOCTL_NVIDIA : AN_IOCTL_OTHER;
}

static const char *find(const struct name *rows, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].number == number)
			return rows[i].name;
	return NULL;
}

/* The parts of an ioctl's number: asm-generic/ioctl.h. */
static uint32_t number_of(uint32_t cmd)
{
	return cmd & 0xff;
}
static uint32_t magic_of(uint32_t cmd)
{
	return cmd >> 8 & 0xff;
}
static uint32_t size_of(uint32_t cmd)
{
	return cmd >> 16 & 0x3fff;
}

static void put_driver(struct buf *to, enum an_ioctl_space space, uint32_t nr)
{
	const struct driver *d;
	const char *name;

	if (space < AN_IOCTL_I915 || space > AN_IOCTL_NOUVEAU) {
		buf_printf(to, "DRM driver+0x%02" PRIx32, nr);
		return;
	}
	d = &drivers[space];
	name = find(d->rows, d->n, nr);
	if (name)
		buf_printf(to, "DRM_IOCTL_%s_%s", d->name, name);
	else
		buf_printf(to, "DRM %s+0x%02" PRIx32, d->name, nr);
}

/* The sizes of the arguments differ from version to version, the numbers do
 * not. */
static bool put_drm(struct buf *to, enum an_ioctl_space space, uint32_t cmd)
{
	uint32_t nr = number_of(cmd);
	const char *name;

	if (magic_of(cmd) != 'd' || space == AN_IOCTL_OTHER ||
	    space > AN_IOCTL_NOUVEAU)
		return false;
	if (nr >= COMMAND_BASE && nr < COMMAND_END) {
		put_driver(to, space, nr - COMMAND_BASE);
		return true;
	}
	name = find(drm, ARRAY_LEN(drm), nr);
	if (name)
		buf_printf(to, "DRM_IOCTL_%s", name);
	return name != NULL;
}

/* Framebuffers have the same magic, without sizes. */
static bool put_nvidia(struct buf *to, enum an_ioctl_space space, uint32_t cmd)
{
	const char *name;

	if (magic_of(cmd) != 'F' ||
	    (space != AN_IOCTL_NVIDIA &&
	     (space != AN_IOCTL_UNKNOWN || !size_of(cmd))))
		return false;
	name = find(nvidia, ARRAY_LEN(nvidia), number_of(cmd));
	if (name)
		buf_printf(to, "NV_ESC_%s", name);
	return name != NULL;
}

static bool put_uvm(struct buf *to, enum an_ioctl_space space, uint32_t cmd)
{
	const char *name;

	if (space != AN_IOCTL_UVM)
		return false;
	name = find(uvm, ARRAY_LEN(uvm), cmd);
	if (name)
		buf_printf(to, "UVM_%s", name);
	else
		buf_printf(to, "UVM %" PRIu32, cmd);
	return true;
}

static void put_parts(struct buf *to, uint32_t cmd)
{
	static const char *const macros[] = { "_IO", "_IOW", "_IOR", "_IOWR" };
	uint32_t magic = magic_of(cmd), direction = cmd >> 30;

	buf_printf(to, "%s(", macros[direction]);
	if (magic > ' ' && magic < 0x7f && magic != '\'' && magic != '\\')
		buf_printf(to, "'%c'", (int)magic);
	else
		buf_printf(to, "0x%02" PRIx32, magic);
	buf_printf(to, ", 0x%02" PRIx32, number_of(cmd));
	if (direction || size_of(cmd))
		buf_printf(to, ", %" PRIu32, size_of(cmd));
	buf_u8(to, ')');
}

void an_ioctl_put(struct buf *to, enum an_ioctl_space space, uint32_t cmd)
{
	const char *name;

	if (put_uvm(to, space, cmd) || put_drm(to, space, cmd) ||
	    put_nvidia(to, space, cmd))
		return;
	name = find(common, ARRAY_LEN(common), cmd);
	if (name)
		buf_printf(to, "%s", name);
	else
		put_parts(to, cmd);
}
