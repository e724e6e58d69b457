select id as member_id, name, joined_on, town as "Home Town", town as private_town from {{ ref('stg_members') }}
