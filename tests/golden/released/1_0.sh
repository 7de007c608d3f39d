# The file of format 1.0, as recorded then: sound, and with the same rows.
cd "$(dirname "$0")/../../../samples" || exit 1
analyze check format-1.0.ctr || exit 1
analyze info format-1.0.ctr | tail -n +6
analyze report --stdio -g none --no-children format-1.0.ctr
analyze dump format-1.0.ctr | cksum
