select * from {{ ref('raw_products') }}
