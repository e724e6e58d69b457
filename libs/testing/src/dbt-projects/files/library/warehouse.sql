-- Made by tools/dbt-projects/make.cjs.
create schema library;
create schema library_raw;
create table library.notes ("note_no" integer, "loan_id" integer);
insert into library.notes values
  ('1', '1');
create table library.books ("book_id" integer, "title" text, "author_id" integer, "replacement_cost" double precision, "parent_book_id" integer, "edition_no" integer, "volume_no" integer);
insert into library.books values
  ('1', 'Winds', '1', '12.5', null, '1', '1'),
  ('2', 'Tides', '1', '20', '1', '2', '1'),
  ('3', 'Maps', '2', '8.25', null, '3', '1'),
  ('4', 'Clouds', null, '30', null, '4', '1');
create table library.members ("member_id" integer, "name" text, "joined_on" date, "Home Town" text, "private_town" text);
insert into library.members values
  ('1', 'Ada', '2024-01-05', 'Ulm', 'Ulm'),
  ('2', 'Bela', '2024-02-11', 'Ulm', 'Ulm'),
  ('3', 'Cleo', '2024-02-20', 'Bonn', 'Bonn'),
  ('4', 'Dora', '2024-03-02', 'Bonn', 'Bonn');
create table library.editions ("book_id" integer, "edition_no" integer, "pages_value" integer);
insert into library.editions values
  ('1', '1', '100');
create table library.loans ("loan_id" integer, "book_id" integer, "member_id" integer, "guarantor_id" integer, "kind_id" integer, "loaned_on" date, "returned_on" date, "fee_amount" double precision, "Total fee" double precision, "is_late" boolean, "class" integer, "sql" text, "count" integer);
insert into library.loans values
  ('1', '1', '1', '2', '1', '2024-03-01', '2024-03-10', '1.5', '3', 'false', '1', 'x', '1'),
  ('2', '1', '2', '1', '1', '2024-03-15', '2024-04-20', '4', '8', 'true', '1', 'x', '1'),
  ('3', '2', '3', '1', '1', '2024-03-20', null, '2.25', '4.5', 'false', '1', 'x', '1'),
  ('4', '3', '1', '2', '1', '2024-04-01', '2024-04-02', '0.5', '1', 'false', '1', 'x', '1'),
  ('5', '4', '4', '3', '1', '2024-04-05', '2024-06-01', '9', '18', 'true', '1', 'x', '1'),
  ('6', '4', '1', null, '1', '2024-06-02', null, '3', '6', 'false', '1', 'x', '1');
create table library.stg_members ("id" integer, "name" text, "joined_on" date, "town" text);
insert into library.stg_members values
  ('1', 'Ada', '2024-01-05', 'Ulm'),
  ('2', 'Bela', '2024-02-11', 'Ulm'),
  ('3', 'Cleo', '2024-02-20', 'Bonn'),
  ('4', 'Dora', '2024-03-02', 'Bonn');
create table library.stg_books ("id" integer, "title" text, "author_id" integer, "replacement_cost" double precision, "parent_id" integer);
insert into library.stg_books values
  ('1', 'Winds', '1', '12.5', null),
  ('2', 'Tides', '1', '20', '1'),
  ('3', 'Maps', '2', '8.25', null),
  ('4', 'Clouds', null, '30', null);
create table library.stg_authors ("id" integer, "name" text);
insert into library.stg_authors values
  ('1', 'Quill'),
  ('2', 'Ink');
create table library.stg_loans ("id" integer, "book_id" integer, "member_id" integer, "guarantor_id" integer, "loaned_on" date, "returned_on" date, "fee_amount" double precision, "is_late" boolean);
insert into library.stg_loans values
  ('1', '1', '1', '2', '2024-03-01', '2024-03-10', '1.5', 'false'),
  ('2', '1', '2', '1', '2024-03-15', '2024-04-20', '4', 'true'),
  ('3', '2', '3', '1', '2024-03-20', null, '2.25', 'false'),
  ('4', '3', '1', '2', '2024-04-01', '2024-04-02', '0.5', 'false'),
  ('5', '4', '4', '3', '2024-04-05', '2024-06-01', '9', 'true'),
  ('6', '4', '1', null, '2024-06-02', null, '3', 'false');
create table library_raw.loan_kinds ("kind_id" integer, "label" text);
insert into library_raw.loan_kinds values
  ('1', 'short'),
  ('2', 'long');
create table library_raw.raw_loans ("id" integer, "book_id" integer, "member_id" integer, "guarantor_id" integer, "loaned_on" date, "returned_on" date, "fee_amount" double precision, "is_late" boolean);
insert into library_raw.raw_loans values
  ('1', '1', '1', '2', '2024-03-01', '2024-03-10', '1.5', 'false'),
  ('2', '1', '2', '1', '2024-03-15', '2024-04-20', '4', 'true'),
  ('3', '2', '3', '1', '2024-03-20', null, '2.25', 'false'),
  ('4', '3', '1', '2', '2024-04-01', '2024-04-02', '0.5', 'false'),
  ('5', '4', '4', '3', '2024-04-05', '2024-06-01', '9', 'true'),
  ('6', '4', '1', null, '2024-06-02', null, '3', 'false');
create table library_raw.raw_authors ("id" integer, "name" text);
insert into library_raw.raw_authors values
  ('1', 'Quill'),
  ('2', 'Ink');
create table library_raw.raw_members ("id" integer, "name" text, "joined_on" date, "town" text);
insert into library_raw.raw_members values
  ('1', 'Ada', '2024-01-05', 'Ulm'),
  ('2', 'Bela', '2024-02-11', 'Ulm'),
  ('3', 'Cleo', '2024-02-20', 'Bonn'),
  ('4', 'Dora', '2024-03-02', 'Bonn');
create table library_raw.raw_books ("id" integer, "title" text, "author_id" integer, "replacement_cost" double precision, "parent_id" integer);
insert into library_raw.raw_books values
  ('1', 'Winds', '1', '12.5', null),
  ('2', 'Tides', '1', '20', '1'),
  ('3', 'Maps', '2', '8.25', null),
  ('4', 'Clouds', null, '30', null);
create table library.authors_v1 ("id" integer, "name" text);
insert into library.authors_v1 values
  ('1', 'Quill'),
  ('2', 'Ink');
create table library.authors_v2 ("author_id" integer, "author_name" text);
insert into library.authors_v2 values
  ('1', 'Quill'),
  ('2', 'Ink');
