select * from {{ ref('raw_shops') }}
