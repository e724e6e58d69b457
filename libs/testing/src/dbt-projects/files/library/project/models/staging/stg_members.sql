select * from {{ ref('raw_members') }}
