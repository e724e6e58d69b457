select
  s.id as sale_id, s.shop_id, s.product_id, s.sold_at, s.quantity, s.amount, s.is_wholesale, s.rating,
  s.quantity * p.unit_cost as ingredients_cost
from {{ ref('stg_sales') }} s
join {{ ref('stg_products') }} p on p.id = s.product_id
