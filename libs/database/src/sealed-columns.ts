/** Sealed columns from before a name was the rule, as `table.column`. */
const OLDER_COLUMNS = ['idempotency_record.reply', 'intent.reply', 'notification_picture.security_context'];

/** Whether a column has texts that are sealed: `sealed_…`, and some older ones. */
export const isSealedColumn = (table: string, column: string): boolean =>
  column.startsWith('sealed_') || OLDER_COLUMNS.includes(`${table}.${column}`);
