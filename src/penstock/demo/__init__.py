"""A sample of real flights and of subscriptions to them, small enough to come with the package."""
