import 'reflect-metadata';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { ControlPlaneModule } from './control-plane.module';

type NestModule = new (...dependencies: never[]) => unknown;

const listed = (module: NestModule, key: string): unknown[] =>
  (Reflect.getMetadata(key, module) as unknown[] | undefined) ?? [];

function modulesUnder(module: NestModule, found = new Set<NestModule>()): Set<NestModule> {
  if (found.has(module)) return found;
  found.add(module);
  for (const imported of listed(module, MODULE_METADATA.IMPORTS)) modulesUnder(imported as NestModule, found);
  return found;
}

describe(ControlPlaneModule.name, () => {
  it('has one module that provides each class', () => {
    const providers = [...modulesUnder(ControlPlaneModule)].flatMap((module) =>
      listed(module, MODULE_METADATA.PROVIDERS),
    );
    expect(providers.length).toBeGreaterThan(50);
    expect(providers.filter((provider, index) => providers.indexOf(provider) !== index)).toEqual([]);
  });
});
