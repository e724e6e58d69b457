select id as hire_id, bike_id, started_at, ended_at, minutes, fare, docked from {{ ref('raw_hires') }}
