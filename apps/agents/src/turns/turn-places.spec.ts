import { TurnPlaces } from './turn-places';

describe(TurnPlaces.name, () => {
  const overloaded = expect.objectContaining({ code: 'chat.overloaded', status: 503 });

  it('are refused to an account that has its share, and left to others', () => {
    const places = new TurnPlaces({ all: 4, ofAccount: 2 });
    for (const tenantId of [1, 1, 2]) places.take(tenantId);
    expect(() => places.take(1)).toThrow(overloaded);
    places.take(2);
    expect(() => places.take(3)).toThrow(overloaded);
  });

  it('are given back once', () => {
    const places = new TurnPlaces({ all: 2, ofAccount: 2 });
    const [first] = [places.take(1), places.take(1)];
    first();
    first();
    places.take(1);
    expect(() => places.take(1)).toThrow(overloaded);
  });
});
