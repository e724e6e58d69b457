import 'reflect-metadata';
import { Controller, Module, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { operations, type OperationId, type ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus, Handler } from './bus';
import { BusStrategy } from './bus-strategy';
import { callTo, silent } from './testing/conformance-kit';
import { createBus } from './create-bus';
import { Operation } from './operations';

type Accepts<Method, Id extends 'getDeployment'> = Method extends Handler<Id> ? true : false;

const [refusing, failing, serving] = ['getScimUser', 'patchScimUser', 'listScimUsers'] as const;
const errors: Partial<Record<OperationId, AppError>> = {
  [refusing]: new AppError('deployment.not_found', 'No such deployment'),
  [failing]: new AppError('service.collision', 'Two changes met', { cause: new Error('deadlock detected') }),
};
const own = operations.filter(({ service }) => service === 'scim').map(({ operationId }) => operationId);

/** A controller with a method for each operation, decorated as if it were written down. */
function controllerOf(operationIds: readonly OperationId[]): Type {
  @Controller()
  class Answers {}
  for (const operationId of operationIds) {
    const value = async (): Promise<never> => {
      if (errors[operationId]) throw errors[operationId];
      return { id: 1 } as never;
    };
    Object.defineProperty(Answers.prototype, operationId, { value });
    const descriptor = { value } as TypedPropertyDescriptor<Handler<OperationId>>;
    Operation(operationId)(Answers.prototype, operationId, descriptor);
  }
  return Answers;
}

@Module({})
class ServedModule {}

describe(BusStrategy.name, () => {
  let bus: Bus;
  let app: INestMicroservice;
  const warn = jest.fn();

  async function start(...controllers: Type[]): Promise<void> {
    const strategy = new BusStrategy(bus, { service: 'scim' });
    app = await NestFactory.createMicroservice(
      { module: ServedModule, controllers },
      { strategy, logger: false, abortOnError: false },
    );
    await app.listen();
  }

  beforeEach(async () => {
    warn.mockClear();
    bus = await createBus({ name: 'scim', logger: { ...silent, warn } });
  });

  afterEach(() => bus.close(0));

  it('does not start while an operation of the service has no handler', async () => {
    const incomplete = controllerOf(own.filter((operationId) => operationId !== serving));
    await expect(start(incomplete)).rejects.toThrow(`scim does not serve ${serving}`);
    await expect(bus.call(refusing, callTo(1))).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('does not start while an operation has two handlers', async () => {
    await expect(start(controllerOf(own), controllerOf([serving]))).rejects.toThrow(`${serving} has two handlers`);
  });

  it('does not start while a handler is for the operation of another service', async () => {
    await expect(start(controllerOf([...own, 'getDeployment']))).rejects.toThrow('scim does not own getDeployment');
  });

  it('brings the AppError of a controller to the caller unchanged', async () => {
    await start(controllerOf(own));
    await expect(bus.call(refusing, callTo(1))).rejects.toMatchObject({
      code: 'deployment.not_found',
      message: 'No such deployment',
    });
  });

  it('tells the log the cause of a failure, and its caller nothing of it', async () => {
    await start(controllerOf(own));
    const failure = await bus.call(failing, callTo(1)).catch((error: AppError) => error);
    expect(failure).toMatchObject({ code: 'service.collision' });
    expect(failure).not.toHaveProperty('cause');
    const fields = expect.objectContaining({ err: new Error('deadlock detected'), operationId: failing });
    expect(warn).toHaveBeenCalledWith(fields, 'Two changes met');
  });

  it('serves the operations of a controller', async () => {
    await start(controllerOf(own));
    await expect(bus.call(serving, callTo(1))).resolves.toEqual({ id: 1 });
  });

  it('closes the bus with the application', async () => {
    await start(controllerOf(own));
    await app.close();
    expect(bus.isConnected()).toBe(false);
  });

  it('does not accept a method whose reply is not in the contract', () => {
    const wrongReply: Accepts<() => Promise<{ id: string }>, 'getDeployment'> = false;
    const rightReply: Accepts<() => Promise<ReplyOf<'getDeployment'>>, 'getDeployment'> = true;
    expect([wrongReply, rightReply]).toEqual([false, true]);
  });
});
