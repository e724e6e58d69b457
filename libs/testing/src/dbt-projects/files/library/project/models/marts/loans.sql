select
  id as loan_id, book_id, member_id, guarantor_id, 1 as kind_id, loaned_on, returned_on, fee_amount, fee_amount * 2 as "Total fee",
  is_late, 1 as "class", 'x' as sql, 1 as "count"
from {{ ref('stg_loans') }}
