"""What `tradewind standalone` says and keeps."""
