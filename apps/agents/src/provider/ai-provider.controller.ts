import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { AiProviderService } from './ai-provider.service';

@Controller()
export class AiProviderController implements Operations<'agents', 'AI Provider'> {
  constructor(private readonly provider: AiProviderService) {}

  @Operation('getAiProvider')
  getAiProvider({ principal }: Call<'getAiProvider'>) {
    return this.provider.get(principal);
  }

  @Operation('setAiProvider')
  setAiProvider({ principal, body }: Call<'setAiProvider'>) {
    return this.provider.set(principal, body);
  }

  @Operation('deleteAiProvider')
  deleteAiProvider({ principal }: Call<'deleteAiProvider'>) {
    return this.provider.delete(principal);
  }

  @Operation('testAiProvider')
  testAiProvider({ principal }: Call<'testAiProvider'>) {
    return this.provider.test(principal);
  }

  @Operation('listAiUsage')
  listAiUsage({ principal, query }: Call<'listAiUsage'>) {
    return this.provider.listUsage(principal, query);
  }
}
