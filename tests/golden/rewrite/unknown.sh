# What is stored in an unknown way is not written again as zeros.
unknown=$(dirname "$0")/../format/unknown
analyze compact -q -o new.ctr "$unknown/encoding.ctr" 2>&1 | sed 's,[^ ]*/unknown/,,'
ls
