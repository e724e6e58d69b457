select id as shop_id, city, opened_on from {{ ref('stg_shops') }}
