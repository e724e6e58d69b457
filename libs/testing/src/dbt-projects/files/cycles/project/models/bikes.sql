select id as bike_id, make, electric, bought_on from {{ ref('raw_bikes') }}
