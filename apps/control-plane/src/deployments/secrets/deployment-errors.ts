import { AppError } from '@plinth/errors';

export const deploymentNotFound = (): AppError => new AppError('deployment.not_found', 'There is no such deployment');
