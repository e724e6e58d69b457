export { EngineQueries, type MetaCube, type MetaMember, type Reader } from './engine-queries.service';
