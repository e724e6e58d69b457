import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { PythonRunsService } from './python-runs.service';

@Controller()
export class PythonRunsController implements Pick<Operations<'workspace', 'Embed'>, 'postDashboardPythonRun'> {
  constructor(private readonly runs: PythonRunsService) {}

  @Operation('postDashboardPythonRun')
  postDashboardPythonRun({ principal, path, body }: Call<'postDashboardPythonRun'>) {
    return this.runs.run(principal, path.publicId, body);
  }
}
