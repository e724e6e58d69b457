select 1 as book_id, 1 as edition_no, 100 as pages_value
