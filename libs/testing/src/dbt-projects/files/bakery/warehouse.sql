-- Made by tools/dbt-projects/make.cjs.
create schema bakery;
create schema bakery_raw;
create table bakery.metricflow_time_spine ("date_day" date);
create table bakery.shops ("shop_id" integer, "city" text, "opened_on" date);
insert into bakery.shops values
  ('1', 'Linz', '2019-05-01'),
  ('2', 'Graz', '2021-09-15');
create table bakery.sales ("sale_id" integer, "shop_id" integer, "product_id" integer, "sold_at" timestamp without time zone, "quantity" integer, "amount" double precision, "is_wholesale" boolean, "rating" integer, "ingredients_cost" double precision);
insert into bakery.sales values
  ('1', '1', '1', '2024-01-03 08:15:00', '2', '7', 'false', '5', '2.4'),
  ('2', '1', '2', '2024-01-03 09:00:00', '1', '4.5', 'false', '4', '1.9'),
  ('3', '2', '1', '2024-01-17 10:30:00', '40', '120', 'true', '5', '48'),
  ('4', '2', '3', '2024-02-02 07:45:00', '3', '9.6', 'false', '2', '3.3000000000000003'),
  ('5', '1', '3', '2024-02-10 11:00:00', '1', '3.2', 'false', null, '1.1'),
  ('6', '2', '2', '2024-02-28 16:20:00', '20', '80', 'true', '3', '38'),
  ('7', '1', '1', '2024-03-05 08:00:00', '4', '14', 'false', '4', '4.8');
create table bakery.products ("product_id" integer, "product_name" text, "family" text, "unit_cost" double precision);
insert into bakery.products values
  ('1', 'Rye loaf', 'bread', '1.2'),
  ('2', 'Seed loaf', 'bread', '1.9'),
  ('3', 'Plum slice', 'cake', '1.1');
create table bakery.stg_shops ("id" integer, "city" text, "opened_on" date);
insert into bakery.stg_shops values
  ('1', 'Linz', '2019-05-01'),
  ('2', 'Graz', '2021-09-15');
create table bakery.stg_sales ("id" integer, "shop_id" integer, "product_id" integer, "sold_at" timestamp without time zone, "quantity" integer, "amount" double precision, "is_wholesale" boolean, "rating" integer);
insert into bakery.stg_sales values
  ('1', '1', '1', '2024-01-03 08:15:00', '2', '7', 'false', '5'),
  ('2', '1', '2', '2024-01-03 09:00:00', '1', '4.5', 'false', '4'),
  ('3', '2', '1', '2024-01-17 10:30:00', '40', '120', 'true', '5'),
  ('4', '2', '3', '2024-02-02 07:45:00', '3', '9.6', 'false', '2'),
  ('5', '1', '3', '2024-02-10 11:00:00', '1', '3.2', 'false', null),
  ('6', '2', '2', '2024-02-28 16:20:00', '20', '80', 'true', '3'),
  ('7', '1', '1', '2024-03-05 08:00:00', '4', '14', 'false', '4');
create table bakery.stg_products ("id" integer, "name" text, "family" text, "unit_cost" double precision);
insert into bakery.stg_products values
  ('1', 'Rye loaf', 'bread', '1.2'),
  ('2', 'Seed loaf', 'bread', '1.9'),
  ('3', 'Plum slice', 'cake', '1.1');
create table bakery_raw.raw_sales ("id" integer, "shop_id" integer, "product_id" integer, "sold_at" timestamp without time zone, "quantity" integer, "amount" double precision, "is_wholesale" boolean, "rating" integer);
insert into bakery_raw.raw_sales values
  ('1', '1', '1', '2024-01-03 08:15:00', '2', '7', 'false', '5'),
  ('2', '1', '2', '2024-01-03 09:00:00', '1', '4.5', 'false', '4'),
  ('3', '2', '1', '2024-01-17 10:30:00', '40', '120', 'true', '5'),
  ('4', '2', '3', '2024-02-02 07:45:00', '3', '9.6', 'false', '2'),
  ('5', '1', '3', '2024-02-10 11:00:00', '1', '3.2', 'false', null),
  ('6', '2', '2', '2024-02-28 16:20:00', '20', '80', 'true', '3'),
  ('7', '1', '1', '2024-03-05 08:00:00', '4', '14', 'false', '4');
create table bakery_raw.raw_products ("id" integer, "name" text, "family" text, "unit_cost" double precision);
insert into bakery_raw.raw_products values
  ('1', 'Rye loaf', 'bread', '1.2'),
  ('2', 'Seed loaf', 'bread', '1.9'),
  ('3', 'Plum slice', 'cake', '1.1');
create table bakery_raw.raw_shops ("id" integer, "city" text, "opened_on" date);
insert into bakery_raw.raw_shops values
  ('1', 'Linz', '2019-05-01'),
  ('2', 'Graz', '2021-09-15');
