import 'reflect-metadata';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus, Handler } from './bus';
import { BusStrategy } from './bus-strategy';
import { callTo, silent } from './conformance-kit';
import { createBus } from './create-bus';
import { Operation } from './operations';

type Accepts<Method, Id extends 'getDeployment'> = Method extends Handler<Id> ? true : false;

@Controller()
class DeploymentsController {
  @Operation('getDeployment')
  async getDeployment(): Promise<ReplyOf<'getDeployment'>> {
    return { id: 1 } as ReplyOf<'getDeployment'>;
  }

  @Operation('updateDeployment')
  async updateDeployment(): Promise<never> {
    throw new AppError('service.collision', 'Two changes met', { cause: new Error('deadlock detected') });
  }

  @Operation('deleteDeployment')
  async deleteDeployment(): Promise<never> {
    throw new AppError('deployment.not_found', 'No such deployment');
  }
}

@Module({ controllers: [DeploymentsController] })
class DeploymentsModule {}

describe(BusStrategy.name, () => {
  let bus: Bus;
  let app: INestMicroservice;
  const warn = jest.fn();

  beforeEach(async () => {
    warn.mockClear();
    bus = await createBus({ name: 'control-plane', logger: { ...silent, warn } });
    app = await NestFactory.createMicroservice(DeploymentsModule, { strategy: new BusStrategy(bus), logger: false });
    await app.listen();
  });

  afterEach(() => app.close());

  it('brings the AppError of a controller to the caller unchanged', async () => {
    await expect(bus.call('deleteDeployment', callTo(1))).rejects.toMatchObject({
      code: 'deployment.not_found',
      message: 'No such deployment',
    });
  });

  it('tells the log the cause of a failure, and its caller nothing of it', async () => {
    const failure = await bus.call('updateDeployment', callTo(1)).catch((error: AppError) => error);
    expect(failure).toMatchObject({ code: 'service.collision' });
    expect(failure).not.toHaveProperty('cause');
    const fields = expect.objectContaining({ err: new Error('deadlock detected'), operationId: 'updateDeployment' });
    expect(warn).toHaveBeenCalledWith(fields, 'Two changes met');
  });

  it('serves the operations of a controller', async () => {
    await expect(bus.call('getDeployment', callTo(1))).resolves.toEqual({ id: 1 });
  });

  it('closes the bus with the application', async () => {
    await app.close();
    expect(bus.isConnected()).toBe(false);
  });

  it('does not accept a method whose reply is not in the contract', () => {
    const wrongReply: Accepts<() => Promise<{ id: string }>, 'getDeployment'> = false;
    const rightReply: Accepts<() => Promise<ReplyOf<'getDeployment'>>, 'getDeployment'> = true;
    expect([wrongReply, rightReply]).toEqual([false, true]);
  });
});
