select * from {{ ref('raw_books') }}
