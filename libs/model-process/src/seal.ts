import { closeModules } from './close-modules';
import { confineContexts } from './confine-contexts';
import { freezeIntrinsics } from './freeze-intrinsics';
import { replaceFunctionConstructor } from './function-constructor';
import { sealProcess } from './seal-process';

/**
 * Takes from this process, for good, whatever a data model has no use for.
 *
 * @param warmUp has the compiler load what it loads on first use, while it may: by compiling something of ours, in contexts
 *   that are confined already
 */
export async function seal<T>(warmUp: () => Promise<T>): Promise<T> {
  replaceFunctionConstructor();
  confineContexts();
  const result = await warmUp();
  sealProcess();
  closeModules();
  freezeIntrinsics();
  return result;
}
