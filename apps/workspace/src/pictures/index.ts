export { DashboardPages, type DashboardPage, type PageWishes } from './dashboard-pages.service';
export { DashboardPictures } from './dashboard-pictures.service';
export {
  pictureFormats,
  type Picture,
  type PictureControls,
  type PictureFormat,
  type PictureOptions,
  type PictureWishes,
} from './picture';
export { requireControls } from './picture-controls';
export { pictureSettings, type PictureConfig } from './pictures.config';
export { PicturesModule } from './pictures.module';
export { dashboardNotFound } from './published-content.service';
export {
  PublishedDashboardsRepository,
  type DashboardRef,
  type PublishedPlace,
} from './published-dashboards.repository';
export { identityOf, requireSubject, Subjects, type Subject, type SubjectInput } from './subjects.service';
