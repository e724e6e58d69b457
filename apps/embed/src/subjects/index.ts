export { SubjectsModule } from './subjects.module';
export { SubjectsService } from './subjects.service';
