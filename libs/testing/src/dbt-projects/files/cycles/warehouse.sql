-- Made by tools/dbt-projects/make.cjs.
create schema cycles;
create schema cycles_raw;
create table cycles.days ("date_day" date);
create table cycles.bikes ("bike_id" integer, "make" text, "electric" boolean, "bought_on" date);
insert into cycles.bikes values
  ('1', 'Fox', 'false', '2022-03-01'),
  ('2', 'Elk', 'true', '2023-04-12'),
  ('3', 'Elk', 'true', '2023-04-12');
create table cycles.hires ("hire_id" integer, "bike_id" integer, "started_at" timestamp without time zone, "ended_at" timestamp without time zone, "minutes" integer, "fare" double precision, "docked" boolean);
insert into cycles.hires values
  ('1', '1', '2024-05-01 08:00:00', '2024-05-01 08:20:00', '20', '2', 'true'),
  ('2', '2', '2024-05-01 09:00:00', '2024-05-01 10:10:00', '70', '6.5', 'true'),
  ('3', '1', '2024-05-09 18:00:00', '2024-05-09 18:05:00', '5', '1', 'false'),
  ('4', '3', '2024-06-02 07:30:00', '2024-06-02 08:00:00', '30', '3', 'true'),
  ('5', '2', '2024-06-15 12:00:00', '2024-06-15 12:45:00', '45', '4.25', 'false');
create table cycles_raw.raw_bikes ("id" integer, "make" text, "electric" boolean, "bought_on" date);
insert into cycles_raw.raw_bikes values
  ('1', 'Fox', 'false', '2022-03-01'),
  ('2', 'Elk', 'true', '2023-04-12'),
  ('3', 'Elk', 'true', '2023-04-12');
create table cycles_raw.raw_hires ("id" integer, "bike_id" integer, "started_at" timestamp without time zone, "ended_at" timestamp without time zone, "minutes" integer, "fare" double precision, "docked" boolean);
insert into cycles_raw.raw_hires values
  ('1', '1', '2024-05-01 08:00:00', '2024-05-01 08:20:00', '20', '2', 'true'),
  ('2', '2', '2024-05-01 09:00:00', '2024-05-01 10:10:00', '70', '6.5', 'true'),
  ('3', '1', '2024-05-09 18:00:00', '2024-05-09 18:05:00', '5', '1', 'false'),
  ('4', '3', '2024-06-02 07:30:00', '2024-06-02 08:00:00', '30', '3', 'true'),
  ('5', '2', '2024-06-15 12:00:00', '2024-06-15 12:45:00', '45', '4.25', 'false');
