export { DirectoryDomain } from './directory.module';
