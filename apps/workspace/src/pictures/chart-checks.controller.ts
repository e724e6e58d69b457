import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ChartChecks } from './chart-checks.service';

@Controller()
export class ChartChecksController implements Operations<'workspace', 'Chart Checks'> {
  constructor(private readonly checks: ChartChecks) {}

  @Operation('checkChart')
  checkChart({ principal, body }: Call<'checkChart'>) {
    return this.checks.check(principal, body);
  }
}
