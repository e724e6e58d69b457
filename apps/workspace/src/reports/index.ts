export { Report } from './report.entity';
export { ReportPlacement } from './report-placement.entity';
export { ReportsModule } from './reports.module';
export { ReportsRepository, type StoredReport } from './reports.repository';
