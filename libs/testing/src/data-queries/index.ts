export { describeDataQueries } from './describe-data-queries';
export type { ServedShop } from './open-shop';
