select * from {{ ref('raw_authors') }}
