cube(`products`, {
  sql: `SELECT * FROM public.products`,

  joins: {
    line_items: {
      sql: `${CUBE}.id = ${line_items}.product_id`,
      relationship: `one_to_many`,
    },
  },

  dimensions: {
    id: { sql: `id`, type: `number`, primary_key: true },
    name: { sql: `name`, type: `string` },
  },

  measures: {
    count: { type: `count` },
    average_price: { sql: `price`, type: `avg` },
  },
});
