import { configureFailpoint, failpoint } from './failpoint';
import { runInContext } from './request-context';

afterEach(() => {
  configureFailpoint(undefined);
  jest.restoreAllMocks();
});

describe(failpoint.name, () => {
  it('refuses a text that names no point', () => {
    expect(() => configureFailpoint(':throw')).toThrow(TypeError);
  });

  it('kills the process at its point, and nowhere else', () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    configureFailpoint('a.b');
    failpoint('a');
    expect(kill).not.toHaveBeenCalled();
    failpoint('a.b');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
  });

  it('hurts no request but the one that is named', () => {
    const later = jest.spyOn(process, 'nextTick').mockReturnValue(undefined);
    configureFailpoint('a.b:throw@r-1');
    failpoint('a.b');
    runInContext({ requestId: 'r-2' }, () => failpoint('a.b'));
    expect(later).not.toHaveBeenCalled();
    runInContext({ requestId: 'r-1' }, () => failpoint('a.b'));
    expect(later).toHaveBeenCalledTimes(1);
  });

  it('takes several points, each for a request of its own', () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    configureFailpoint('a@r-1,b@r-2');
    runInContext({ requestId: 'r-2' }, () => failpoint('a'));
    runInContext({ requestId: 'r-1' }, () => failpoint('b'));
    expect(kill).not.toHaveBeenCalled();
    runInContext({ requestId: 'r-1' }, () => failpoint('a'));
    runInContext({ requestId: 'r-2' }, () => failpoint('b'));
    expect(kill).toHaveBeenCalledTimes(2);
  });
});
