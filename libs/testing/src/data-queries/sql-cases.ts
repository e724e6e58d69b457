/** Statements over the data model, and the SQL over the shop's tables that must answer the same rows. */
export const sqlCases: readonly { title: string; statement: string; sql: string }[] = [
  {
    title: 'MEASURE, aliases, ORDER BY an alias and LIMIT',
    statement: 'SELECT status, MEASURE(count) AS n FROM orders GROUP BY status ORDER BY n DESC LIMIT 3',
    sql: 'select status, count(*) from orders group by 1 order by 2 desc limit 3',
  },
  {
    title: 'aggregates that match the measures',
    statement: `SELECT COUNT(*), SUM(units), SUM(line_items.revenue), AVG(average_price), MAX(highest_price) FROM line_items`,
    sql: 'select count(*), sum(quantity), sum(quantity * price), avg(price), max(price) from line_items',
  },
  {
    title: 'COUNT(DISTINCT)',
    statement: 'SELECT COUNT(DISTINCT buyers) FROM orders',
    sql: 'select count(distinct customer_id) from orders',
  },
  {
    title: 'DATE_TRUNC, ranges of times and IN',
    statement: `SELECT DATE_TRUNC('month', created_at) AS month, MEASURE(count) FROM orders
      WHERE created_at >= '2024-01-01' AND created_at < '2024-04-01' AND status IN ('completed', 'shipped') GROUP BY 1 ORDER BY 1`,
    sql: `select date_trunc('month', created_at at time zone 'UTC'), count(*) from orders where created_at >= '2024-01-01Z'
      and created_at < '2024-04-01Z' and status in ('completed', 'shipped') group by 1 order by 1`,
  },
  {
    title: 'CROSS JOIN joins as the model does',
    statement: `SELECT customers.country, COUNT(*) FROM orders CROSS JOIN customers GROUP BY 1 ORDER BY 1`,
    sql: 'select country, count(*) from orders o join customers c on c.id = o.customer_id group by 1 order by 1',
  },
  {
    title: 'JOIN ON __cubeJoinField does, too',
    statement: `SELECT c.country, MEASURE(o.count) FROM orders o LEFT JOIN customers c ON o.__cubeJoinField = c.__cubeJoinField
      GROUP BY 1 ORDER BY 1`,
    sql: 'select country, count(*) from orders o join customers c on c.id = o.customer_id group by 1 order by 1',
  },
  {
    title: 'a view, OR, NOT, HAVING and OFFSET',
    statement: `SELECT s.customers_city, s.products_category, MEASURE(s.units) FROM sales s
      WHERE (s.customers_region = 'Europe' OR s.products_category LIKE '%oo%') AND NOT (s.status = 'cancelled')
      GROUP BY 1, 2 HAVING MEASURE(s.units) > 100 ORDER BY 1, 2 DESC LIMIT 5 OFFSET 1`,
    sql: `select city, category, sum(quantity) from line_items l join orders o on o.id = l.order_id
      join customers c on c.id = o.customer_id join products p on p.id = l.product_id
      where (country in ('DE', 'FR', 'GB') or category like '%oo%') and status <> 'cancelled'
      group by 1, 2 having sum(quantity) > 100 order by 1, 2 desc limit 5 offset 1`,
  },
  {
    title: 'segments',
    statement: 'SELECT MEASURE(count) FROM orders WHERE completed IS TRUE AND with_coupon = TRUE',
    sql: `select count(*) from orders where status = 'completed' and coupon is not null`,
  },
  {
    title: 'comparisons let no nulls through',
    statement: `SELECT MEASURE(count) FROM orders WHERE coupon <> 'SPRING'`,
    sql: `select count(*) from orders where coupon <> 'SPRING'`,
  },
  {
    title: 'NOT IN and NOT LIKE let no nulls through',
    statement: `SELECT MEASURE(count) FROM orders WHERE coupon NOT IN ('SPRING') AND coupon NOT LIKE 'SUM%'`,
    sql: `select count(*) from orders where coupon not in ('SPRING') and coupon not like 'SUM%'`,
  },
  {
    title: 'NOT of conditions that may be null',
    statement: `SELECT MEASURE(count) FROM orders WHERE NOT (coupon = 'SPRING' OR id > 20000)`,
    sql: `select count(*) from orders where not (coupon = 'SPRING' or id > 20000)`,
  },
  {
    title: 'IS NULL and IS NOT NULL',
    statement: 'SELECT MEASURE(count) FROM orders WHERE coupon IS NULL AND completed_at IS NOT NULL',
    sql: 'select count(*) from orders where coupon is null and completed_at is not null',
  },
  {
    title: 'booleans of three values',
    statement: 'SELECT is_gift, MEASURE(count) FROM orders WHERE is_gift IS NOT TRUE GROUP BY 1 ORDER BY 1',
    sql: 'select is_gift, count(*) from orders where is_gift is not true group by 1 order by 1',
  },
  {
    title: 'BETWEEN of times',
    statement: `SELECT MEASURE(count) FROM orders WHERE created_at BETWEEN '2024-02-01' AND TIMESTAMP '2024-02-02 12:00:00'`,
    sql: `select count(*) from orders where created_at between '2024-02-01Z' and '2024-02-02 12:00Z'`,
  },
  {
    title: 'NOT BETWEEN of numbers',
    statement: 'SELECT MEASURE(count) FROM orders WHERE id NOT BETWEEN 100 AND 29000',
    sql: 'select count(*) from orders where id not between 100 and 29000',
  },
  {
    title: 'a moment',
    statement: `SELECT status FROM orders WHERE created_at = '2024-01-01 00:42:03' GROUP BY 1`,
    sql: `select status from orders where created_at = '2024-01-01 00:42:03Z'`,
  },
  {
    title: 'now, and intervals before it',
    statement: `SELECT MEASURE(count) FROM orders WHERE created_at > now() - interval '20 years' AND created_at < date_trunc('year', now())`,
    sql: `select count(*) from orders where created_at > now() - interval '20 years' and created_at < date_trunc('year', now())`,
  },
  {
    title: 'DISTINCT',
    statement: 'SELECT DISTINCT status FROM orders ORDER BY 1',
    sql: 'select distinct status from orders order by 1',
  },
  {
    title: 'single rows',
    statement: 'SELECT id, coupon FROM orders WHERE id <= 30 ORDER BY id',
    sql: 'select id, coupon from orders where id <= 30 order by id',
  },
  {
    title: 'no rows',
    statement: `SELECT status, MEASURE(count) FROM orders WHERE status = 'lost' GROUP BY 1`,
    sql: `select status, count(*) from orders where status = 'lost' group by 1`,
  },
];

/** What is refused, and the words by which it is named. */
export const refusedStatements: readonly [statement: string, words: string][] = [
  ['SELECT nope FROM orders', "No field named 'nope'"],
  ['SELECT cost FROM products', "No field named 'cost'"],
  ['SELECT 1 FROM lost', "Table or CTE with name 'lost' not found"],
  ['SELEC 1', 'SQL syntax'],
  ['SELECT status, MEASURE(count) FROM orders', 'orders.status must be in GROUP BY'],
  ['SELECT * FROM orders', 'SELECT *'],
  [`SELECT CASE WHEN status = 'a' THEN 1 END FROM orders`, 'CASE'],
  ['SELECT MEASURE(count) + 1 FROM orders', 'an expression (binary)'],
  ['SELECT upper(status) FROM orders', 'the function upper()'],
  ['SELECT pg_sleep(10)', 'a query without FROM'],
  ['WITH a AS (SELECT 1) SELECT * FROM a', 'WITH'],
  ['SELECT status FROM orders UNION SELECT coupon FROM orders', 'UNION'],
  ['SELECT * FROM (SELECT status FROM orders) t', 'a subquery in FROM'],
  ['SELECT status FROM orders WHERE id IN (SELECT id FROM orders)', 'a subquery in IN'],
  ['SELECT status FROM orders JOIN customers ON orders.id = customers.id', 'a JOIN other than CROSS JOIN'],
  ['SELECT SUM(count) FROM orders', 'sum() of a measure of type count; use MEASURE()'],
  ['SELECT COUNT(*) OVER () FROM orders', 'count() with OVER'],
  ['SELECT status FROM orders WHERE count > 1', 'the measure orders.count in WHERE; use HAVING'],
  ['SELECT status FROM orders WHERE NOT completed', 'the segment orders.completed in OR or NOT'],
  [`SELECT status FROM orders WHERE coupon LIKE 'a%b'`, 'LIKE with %, _ or \\ inside'],
  ['SELECT status FROM orders WHERE coupon = NULL', 'a comparison with NULL; use IS NULL'],
  ['SELECT status FROM orders WHERE status = coupon', 'a comparison of two members'],
  ['SELECT status FROM orders GROUP BY 1 ORDER BY coupon', 'ORDER BY orders.coupon, which is not selected'],
  ['SELECT status FROM orders GROUP BY 1 ORDER BY 1 NULLS FIRST', 'NULLS FIRST'],
  ['DELETE FROM orders', 'anything but one SELECT'],
  ['SELECT status FROM orders; SELECT status FROM orders', 'anything but one SELECT'],
];
