select id as author_id, name as author_name from {{ ref('stg_authors') }}
