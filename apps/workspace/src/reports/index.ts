export { Report } from './report.entity';
export { ReportPlacement } from './report-placement.entity';
export { presentationIn, type ReportPresentation } from './report-presentation';
export { ReportsModule } from './reports.module';
export { ReportWrites } from './report-writes.service';
export { ReportsRepository, type StoredReport } from './reports.repository';
