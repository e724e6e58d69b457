export { ServedModelsModule } from './served-models.module';
