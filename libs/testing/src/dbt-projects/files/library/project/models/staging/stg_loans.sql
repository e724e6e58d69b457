select * from {{ ref('raw_loans') }}
