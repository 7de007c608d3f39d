analyze info
