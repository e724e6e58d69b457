select id as product_id, name as product_name, family, unit_cost from {{ ref('stg_products') }}
