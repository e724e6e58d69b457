-- A small shop: 5,000 customers, 200 products, 30,000 orders of 67,000 line items, in 2024 and 2025.
-- Every value is drawn from a hash of its row's number, so that the shop is the same everywhere.

create function chance(draw text, row_number bigint) returns double precision
  language sql immutable parallel safe
  return ('x' || left(md5(draw || row_number::text), 8))::bit(32)::bigint / float8 '4294967296';

-- One of the choices, each as likely as the others.
create function pick(choices text[], chance double precision) returns text
  language sql immutable parallel safe
  return choices[1 + floor(chance * cardinality(choices))::integer];

create table customers (
  id integer primary key,
  name text not null,
  company text,
  country text not null,
  city text not null,
  created_at timestamptz not null
);

with drawn as materialized (
  select n, string_to_array(pick('{US/Boston,US/Denver,CA/Toronto,BR/Recife,DE/Berlin,DE/Bremen,FR/Lyon,GB/Leeds,JP/Osaka,IN/Pune}',
                                 chance('place', n)), '/') as place
  from generate_series(1, 5000) as n
)
insert into customers
select n,
       pick('{Ada,Ben,Carla,Dinh,Emma,Farid,Greta,Hugo,Ines,Jonas}', chance('first name', n)) || ' ' ||
       pick('{Abe,Berg,Costa,Diaz,Evans,Fischer,Garcia,Haas,Ito,Jensen}', chance('last name', n)),
       case when chance('company', n) < 0.3 then 'Company ' || 1 + floor(chance('number', n) * 99) end,
       place[1],
       place[2],
       timestamptz '2023-01-01 00:00Z' + chance('joined', n) * interval '8760 hours'
from drawn;

create table products (
  id integer primary key,
  name text not null,
  category text not null,
  price numeric(8, 2) not null,
  cost numeric(8, 2) not null,
  discontinued boolean not null
);

insert into products
select n,
       category || ' ' || n,
       category,
       price,
       round(price * 0.6, 2),
       chance('discontinued', n) < 0.1
from generate_series(1, 200) as n,
     pick('{Books,Games,Garden,Kitchen,Tools}', chance('category', n)) as category,
     round((2 + 98 * chance('price', n))::numeric, 2) as price;

create table orders (
  id integer primary key,
  customer_id integer not null,
  status text not null,
  coupon text,
  is_gift boolean,
  created_at timestamptz not null,
  completed_at timestamptz
);

with drawn as materialized (
  select n,
         pick('{completed,completed,completed,completed,completed,shipped,processing,cancelled}', chance('status', n)) as status,
         date_trunc('second', timestamptz '2024-01-01 00:00Z' + chance('created', n) * interval '17544 hours') as created_at
  from generate_series(1, 30000) as n
)
insert into orders
select n,
       1 + floor(5000 * chance('customer', n) * chance('loyalty', n)),
       status,
       case when chance('coupon', n) < 0.2 then pick('{SPRING,SUMMER,WINTER}', chance('season', n)) end,
       case when chance('asked', n) < 0.9 then chance('gift', n) < 0.15 end,
       created_at,
       case when status = 'completed' then created_at + (1 + 9 * chance('delivery', n)) * interval '24 hours' end
from drawn;

create table line_items (
  id integer primary key,
  order_id integer not null,
  product_id integer not null,
  quantity integer not null,
  price numeric(8, 2) not null
);

insert into line_items
select row_number() over (order by orders.id, line),
       orders.id,
       products.id,
       1 + floor(5 * chance('quantity', 4 * orders.id + line)),
       products.price
from orders,
     generate_series(1, 1 + floor(3.4 * chance('lines', orders.id))::integer) as line,
     products
where products.id = 1 + floor(200 * chance('product', 4 * orders.id + line))::integer;

-- Checked at once, which takes a tenth of the time that each row would.
alter table orders add foreign key (customer_id) references customers;
alter table line_items add foreign key (order_id) references orders;
alter table line_items add foreign key (product_id) references products;

create index on orders (customer_id);
create index on orders (created_at);
create index on line_items (order_id);
create index on line_items (product_id);

drop function pick(text[], double precision);
drop function chance(text, bigint);
analyze customers, products, orders, line_items;
