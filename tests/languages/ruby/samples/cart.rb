# frozen_string_literal: true

require "set"
require_relative "money"

# Everything about buying.
module Shop
  MOST_LINES = 200

  # What goes wrong.
  class TooMany < StandardError; end

  # What a customer has chosen so far.
  class Cart < Basket
    include Comparable

    UNIT = :cents
    attr_reader :owner, :lines

    @@carts = 0

    # @param owner [String]
    def initialize(owner, discount: nil)
      super()
      @owner = owner
      @discount = discount
      @lines = []
      @@carts += 1
    end

    def self.of(owner) = new(owner)

    class << self
      def carts
        @@carts
      end
    end

    # Adds some of an article.
    #
    # The line is returned.
    def add(article, count = 1, *notes, **options, &block)
      line = find(article.name)
      if line.nil?
        raise TooMany, "zu viele Zeilen für „#{owner}“" if @lines.size >= MOST_LINES

        line = Line.new(article, 0)
        @lines << line
      end
      line.count += count
      notes.each { |note| line.note(note) }
      block&.call(line)
      line
    end

    def find(name)
      @lines.find do |line|
        line.article.name.downcase == name.downcase
      end
    end

    def total
      sum = @lines.sum { |line| line.cents }
      less = case @discount
             when :staff then sum / 10
             when nil then 0
             else
               @discount.call(sum)
             end
      Money.new(sum - less, UNIT)
    rescue ZeroDivisionError => error
      warn error.message
      nil
    end

    def empty?
      lines.empty?
    end

    def <=>(other)
      total <=> other.total
    end

    private

    def check!(limit:)
      until lines.size <= limit
        lines.pop
      end
    end
  end

  Line = Struct.new(:article, :count) do
    def cents
      article.price * count
    end
  end

  def self.receipt(cart)
    first, *rest = cart.lines
    text = <<~TEXT
      #{cart.owner}: #{first&.article&.name}
      end of #{rest.size}
    TEXT
    text.strip
  end
end
