select id as book_id, title, author_id, replacement_cost, parent_id as parent_book_id, id as edition_no, 1 as volume_no
from {{ ref('stg_books') }}
