"""Static HTML and Markdown made from the folded state. Pure: values in, text out."""
