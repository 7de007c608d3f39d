/* importshow FILE: what the importer of perf.data gives to the intake, a line for
 * each thing, in the order of time. */
#include "record/import/importer.h"
#include "tests/support/standin_intake.h"

int main(int argc, char **argv)
{
	struct rec_intake to = { .to = stdout };
	struct err err = { 0 };
	struct rec_input *in;
	int rc;

	if (argc != 2) {
		fputs("usage: importshow FILE\n", stderr);
		return 2;
	}
	rc = rec_input_open(&in, argv[1], &err);
	if (!rc) {
		rc = rec_import_perf_data.run(
			in, &to, &(struct rec_import_options){ 0 }, &err);
		rec_input_close(in);
	}
	if (rc)
		fprintf(stderr, "importshow: %s: %s\n",
			rc < 0 ? "error" : "warning", err.text);
	return rc < 0 ? 6 : rc;
}
