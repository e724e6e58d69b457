import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ScimRequestsService } from './scim-requests.service';

@Controller()
export class ScimRequestsController implements Operations<'control-plane', 'SCIM Requests'> {
  constructor(private readonly requests: ScimRequestsService) {}

  @Operation('listScimRequests')
  listScimRequests({ principal, query }: Call<'listScimRequests'>) {
    return this.requests.list(principal, query);
  }

  @Operation('recordScimRequests')
  recordScimRequests({ principal, body }: Call<'recordScimRequests'>) {
    return this.requests.record(principal, body);
  }
}
