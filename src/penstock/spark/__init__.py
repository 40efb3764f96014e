"""The data pipeline: matching, and checking subscriptions, over Spark DataFrames."""
