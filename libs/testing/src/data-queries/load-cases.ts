import { type QueryCase } from './query-case';

const SALES = `from line_items l join orders o on o.id = l.order_id
  join customers c on c.id = o.customer_id join products p on p.id = l.product_id`;
const REGION = `case when country in ('US', 'CA', 'BR') then 'Americas' when country in ('DE', 'FR', 'GB') then 'Europe' else 'Asia' end`;

/** Members, joins, order and limits. */
export const loadCases: readonly QueryCase[] = [
  {
    title: 'measures of every kind',
    query: {
      measures: [
        'line_items.count',
        'line_items.units',
        'line_items.revenue',
        'line_items.average_price',
        'line_items.highest_price',
      ],
    },
    sql: 'select count(*), sum(quantity), sum(quantity * price), avg(price), max(price) from line_items',
  },
  {
    title: 'distinct values are counted once',
    query: { measures: ['orders.count', 'orders.buyers'] },
    sql: 'select count(*), count(distinct customer_id) from orders',
  },
  {
    title: 'filtered measures and ratios',
    query: { measures: ['orders.completed_count', 'orders.completed_share'] },
    sql: `select count(*) filter (where status = 'completed'), 1.0 * count(*) filter (where status = 'completed') / count(*) from orders`,
  },
  {
    title: 'measures made by a template',
    query: { measures: ['products.books_count', 'products.garden_count', 'products.count'] },
    sql: `select count(*) filter (where category = 'Books'), count(*) filter (where category = 'Garden'), count(*) from products`,
  },
  {
    title: 'order and limit',
    query: { measures: ['orders.count'], dimensions: ['orders.status'], order: { 'orders.count': 'desc' }, limit: 3 },
    sql: 'select status, count(*) from orders group by 1 order by 2 desc limit 3',
  },
  {
    title: 'offset',
    query: { dimensions: ['products.name'], order: { 'products.name': 'asc' }, limit: 5, offset: 7 },
    sql: 'select name from products group by 1 order by 1 limit 5 offset 7',
  },
  {
    title: 'order by several members',
    query: {
      measures: ['customers.count'],
      dimensions: ['customers.country', 'customers.city'],
      order: [
        ['customers.country', 'desc'],
        ['customers.city', 'asc'],
      ],
    },
    sql: 'select country, city, count(*) from customers group by 1, 2 order by 1 desc, 2',
  },
  {
    title: 'a group of nulls',
    query: { measures: ['orders.count'], dimensions: ['orders.coupon'], order: { 'orders.coupon': 'asc' } },
    sql: 'select coupon, count(*) from orders group by 1 order by 1',
  },
  {
    title: 'booleans, and those that are unknown',
    query: { measures: ['orders.count'], dimensions: ['orders.is_gift'], order: { 'orders.is_gift': 'asc' } },
    sql: 'select is_gift, count(*) from orders group by 1 order by 1',
  },
  {
    title: 'dimensions by cases',
    query: { measures: ['customers.count'], dimensions: ['customers.region'], order: { 'customers.region': 'asc' } },
    sql: `select ${REGION}, count(*) from customers group by 1 order by 1`,
  },
  {
    title: 'joins over three cubes',
    query: {
      measures: ['line_items.revenue'],
      dimensions: ['products.category', 'customers.region'],
      order: { 'products.category': 'asc', 'customers.region': 'asc' },
    },
    sql: `select category, ${REGION}, sum(l.quantity * l.price) ${SALES} group by 1, 2 order by 1, 2`,
  },
  {
    title: 'a measure is not multiplied by the rows that join it',
    query: {
      measures: ['orders.count', 'line_items.revenue'],
      dimensions: ['customers.country'],
      order: { 'customers.country': 'asc' },
    },
    sql: `select country, count(distinct o.id), sum(l.quantity * l.price) ${SALES} group by 1 order by 1`,
  },
  {
    title: 'members of a view',
    query: {
      measures: ['sales.revenue', 'sales.orders_count'],
      dimensions: ['sales.customers_region', 'sales.products_category'],
      filters: [{ member: 'sales.status', operator: 'notEquals', values: ['cancelled'] }],
      order: [
        ['sales.customers_region', 'asc'],
        ['sales.products_category', 'desc'],
      ],
      limit: 7,
    },
    sql: `select ${REGION}, category, sum(l.quantity * l.price), count(distinct o.id) ${SALES}
      where status <> 'cancelled' group by 1, 2 order by 1, 2 desc limit 7`,
  },
  {
    title: 'segments',
    query: { measures: ['orders.count'], segments: ['orders.completed', 'orders.with_coupon'] },
    sql: `select count(*) from orders where status = 'completed' and coupon is not null`,
  },
  {
    title: 'a segment of a view',
    query: { measures: ['sales.units'], segments: ['sales.completed'] },
    sql: `select sum(quantity) ${SALES} where status = 'completed'`,
  },
  {
    title: 'filters on measures',
    query: {
      measures: ['orders.count'],
      dimensions: ['customers.city'],
      filters: [{ member: 'orders.count', operator: 'gt', values: ['3000'] }],
      order: { 'customers.city': 'asc' },
    },
    sql: `select city, count(*) from orders o join customers c on c.id = o.customer_id group by 1 having count(*) > 3000 order by 1`,
  },
  {
    title: 'single rows',
    query: {
      dimensions: ['orders.id', 'orders.status', 'orders.coupon', 'orders.created_at'],
      ungrouped: true,
      filters: [{ member: 'orders.id', operator: 'lte', values: ['50'] }],
      order: { 'orders.id': 'desc' },
      limit: 20,
    },
    sql: `select id, status, coupon, created_at at time zone 'UTC' from orders where id <= 50 order by id desc limit 20`,
  },
  {
    title: 'no rows',
    query: {
      measures: ['orders.count'],
      dimensions: ['orders.status'],
      filters: [{ member: 'orders.status', operator: 'equals', values: ['lost'] }],
    },
    sql: `select status, count(*) from orders where status = 'lost' group by 1`,
  },
  {
    title: 'a share of the whole by stages',
    query: {
      measures: ['line_items.revenue', 'line_items.total_revenue'],
      dimensions: ['products.category'],
      order: { 'products.category': 'asc' },
    },
    sql: `select category, sum(l.quantity * l.price), (select sum(quantity * price) from line_items) ${SALES} group by 1 order by 1`,
  },
];
