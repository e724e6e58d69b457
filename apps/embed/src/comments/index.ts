export { CommentsModule } from './comments.module';
export { CommentsRepository } from './comments.repository';
export { DashboardComment } from './dashboard-comment.entity';
