import type { Request } from 'express';
import { requireOwnSite } from '../tenants/own-site';

/** Refuses a form that another site made the browser send. @throws AppError `access.denied` (403). */
export const requireOwnForm = (request: Pick<Request, 'headers'>): void =>
  requireOwnSite(request, 'The form was sent from another site');
