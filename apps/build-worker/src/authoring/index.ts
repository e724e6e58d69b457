export { AuthoringModule } from './authoring.module';
export { UploadFile } from './uploads/upload-file.entity';
export { Upload } from './uploads/upload.entity';
