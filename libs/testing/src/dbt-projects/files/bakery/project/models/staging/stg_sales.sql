select * from {{ ref('raw_sales') }}
