select id from {{ ref('raw_loans') }} where returned_on is null
